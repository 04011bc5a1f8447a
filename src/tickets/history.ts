import { cutText, utf8Bytes } from '../core/safe-json.ts';

/** Bytes of quoted mail history that a body may carry. */
const MAX_HISTORY_BYTES = 20_000;

/** From such a line on, all is an older mail. */
const olderMail =
  /^(-{2,} ?(original message|forwarded message|ursprüngliche nachricht|message d'origine)|(on|am|le|el) .{5,120}(wrote|schrieb|a écrit|escribió)\b.{0,60}:\s*$|from: .+\nsent: )/im;

/** Cuts quoted mail history beyond 20 KB, with a note; what the writer of the mail added stays, wherever it stands. */
export function cutHistory(body: string): string {
  // No character has more than three bytes for each of its units.
  if (body.length * 3 <= MAX_HISTORY_BYTES || utf8Bytes(body) <= MAX_HISTORY_BYTES) return body;
  if (!/^[^\S\n]*>/m.test(body)) return cutOlderMail(body);
  const lines: string[] = [];
  let bytes = 0;
  let dropped = 0;
  for (const line of body.split('\n')) {
    if (/^\s*>/.test(line)) bytes += utf8Bytes(line) + 1;
    const keep = !/^\s*>/.test(line) || bytes <= MAX_HISTORY_BYTES;
    if (keep) {
      lines.push(line);
      continue;
    }
    if (dropped === 0) lines.push('[older quoted mail was left out here]');
    dropped += 1;
  }
  return cutOlderMail(lines.join('\n'));
}

/** Mail programs that quote without `>` put the newest of the older mails first. */
function cutOlderMail(body: string): string {
  const at = body.search(olderMail);
  if (at < 0) return body;
  const older = body.slice(at);
  // Quoting marks under an introduction were dealt with line by line, and words of the writer stand between them.
  if (/^[ \t]*>/m.test(older)) return body;
  return body.slice(0, at) + cutText(older, MAX_HISTORY_BYTES).text;
}
