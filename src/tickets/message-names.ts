/** What the parts of a message are called by the exports of helpdesks, dots where they nest them; the first with a value counts. */

/** By their names these are plain, also where the export writes HTML elsewhere. */
export const plainNames = ['plain_body', 'body_text', 'stripped_text', 'plainText'];
export const textNames = [
  ...plainNames,
  'text',
  'body',
  'content',
  'message',
  'body_html',
  'html_body',
  'CommentBody',
  'TextBody',
  'HtmlBody',
  'comment',
  'summary',
];
export const authorNames = [
  ...['author_name', 'author', 'author.name', 'author.displayName', 'author.login', 'author.username'],
  ...['user.login', 'user.name', 'sender.name', 'fromEmailAddress', 'from', 'from.name', 'created_by'],
  ...['CreatedBy.Name', 'commenter.name', 'author.email', 'sender.email', 'user.email'],
];
export const emailNames = [
  ...[
    'author.email',
    'author.emailAddress',
    'sender.email',
    'createdBy.email',
    'from.email',
    'fromEmailAddress',
  ],
  ...['user.email', 'from', 'email'],
];
export const timeNames = [
  ...[
    'created_at',
    'createdAt',
    'created',
    'createdTime',
    'created_datetime',
    'sent_datetime',
    'CreatedDate',
  ],
  ...['timestamp', 'date', 'commentedTime', 'sent_at', 'time'],
];
export const roleNames = [
  ...['role', 'author_role', 'author.type', 'author.role', 'sender_type', 'senderType', 'author_type'],
  ...[
    'sender.type',
    'sender',
    'user_type',
    'from.type',
    'commenterType',
    'commenter.type',
    'direction',
    'speaker',
    'type',
  ],
];
