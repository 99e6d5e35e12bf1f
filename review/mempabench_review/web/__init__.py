"""The desk as a local web application: pages made on the server, one small script, nothing from elsewhere."""
