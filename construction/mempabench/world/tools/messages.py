"""Chats: finding what was said, reading on, writing into them."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import StringConstraints

from mempabench.domain.taxonomy import Context
from mempabench.domain.worlds import Contact, Conversation, Message
from mempabench.domain.worlds.base import Instant, Line
from mempabench.world.searching import matches, snippet
from mempabench.world.tool import After, Limit, page, tool
from mempabench.world.view import Refusal, View, named

Text = Annotated[str, StringConstraints(min_length=1, max_length=4000)]


@tool(reads=(Conversation, Message, Contact), finds=(Conversation, Message))
def messages_search(
    view: View,
    text: Line | None = None,
    contact_id: str | None = None,
    context: Context | None = None,
    since: Instant | None = None,
    limit: Limit = 20,
    after: After = None,
) -> dict[str, Any]:
    """List messages, the newest first, each with its conversation.

    Args:
        text: words that stand in the message or the title of its conversation
        contact_id: only of conversations that this contact is in
        context: only of work, or of private life
        since: only sent at or after it
    """
    if contact_id is not None:
        view.get(Contact, contact_id)
    chats = {
        chat.id: chat
        for chat in view.all(Conversation)
        if context in (None, chat.context) and (contact_id is None or contact_id in chat.members)
    }
    found = [
        message
        for message in view.all(Message)
        if (chat := chats.get(message.conversation))
        and (since is None or message.sent_at >= since)
        and matches(text, message.text, chat.title)
    ]
    found.sort(key=lambda message: message.id)
    found.sort(key=lambda message: message.sent_at, reverse=True)

    def shown(message: Message) -> dict[str, Any]:
        fields = view.show(message, "conversation", "sent_at")
        sender = named(view, [message.sender])[0]
        title = chats[message.conversation].title
        return {**fields, "conversation_title": title, "from": sender, "text": snippet(message.text, text)}

    return page(found, shown, limit, after)


@tool(reads=(Conversation, Message, Contact))
def messages_read(view: View, conversation_id: str, limit: Limit = 20, after: After = None) -> dict[str, Any]:
    """Show a conversation: who is in it and what was said, the newest first.

    Args:
        conversation_id: the conversation
    """
    chat = view.get(Conversation, conversation_id)
    found = [message for message in view.all(Message) if message.conversation == chat.id]
    found.sort(key=lambda message: message.id)
    found.sort(key=lambda message: message.sent_at, reverse=True)
    return {
        **view.show(chat),
        "member_names": named(view, chat.members),
        **page(
            found,
            lambda message: {
                **view.show(message, "text", "sent_at"),
                "from": named(view, [message.sender])[0],
            },
            limit,
            after,
        ),
    }


@tool(reads=(Contact,), writes=(Conversation, Message), external=True)
def messages_send(
    view: View,
    text: Text,
    conversation_id: str | None = None,
    contact_id: str | None = None,
) -> dict[str, Any]:
    """Write into a conversation, or to a contact; the chat with a contact alone is begun where there is none yet.

    Args:
        text: the message
        conversation_id: the conversation
        contact_id: the contact, in place of a conversation

    Raises:
        one_of_both: give either a conversation or a contact
        sent_already: this very message is the last one in the conversation already
        oneself: the user can't be written to; set a reminder with reminders_set

    Limits:
        conversation_closed: nobody can write into this conversation any more; write to its members one by one, or with
            mail_send
        not_on_chat: this contact can't be reached by message; mail_send reaches them
    """
    if (conversation_id is None) == (contact_id is None):
        raise Refusal("one_of_both")
    chat = view.get(Conversation, conversation_id) if conversation_id else chat_with(view, str(contact_id))
    if chat.closed:
        raise Refusal("conversation_closed", chat.title)
    said = [message for message in view.all(Message) if message.conversation == chat.id]
    last = max(said, key=lambda message: (message.sent_at, message.id), default=None)
    if last is not None and (last.sender, last.text) == (view.me.id, text):
        raise Refusal("sent_already", last.id)
    return view.show(view.add(Message, conversation=chat.id, sender=view.me.id, text=text, sent_at=view.now))


def chat_with(view: View, contact_id: str) -> Conversation:
    """Return the chat of the user with a contact alone; begin it where there is none.

    Raises:
        Refusal: ``oneself`` or ``not_on_chat``.
    """
    contact = view.get(Contact, contact_id)
    if contact.id == view.me.id:
        raise Refusal("oneself")
    pair = {contact.id, view.me.id}
    chats = [chat for chat in view.all(Conversation) if set(chat.members) == pair and not chat.closed]
    if chats:
        return min(chats, key=lambda chat: chat.id)
    if not contact.on_chat:
        raise Refusal("not_on_chat", contact.name)
    return view.add(Conversation, title=contact.name, context=contact.context, members=tuple(pair))
