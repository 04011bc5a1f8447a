/** Mails are folded by these marks: nothing is taken out, so that a wrong guess costs no words of the customer. */
const QUOTED = '[quoted mail]';
const SIGNATURE = '[signature]';
/** A signature is short; what follows a line of dashes further up is text. */
const MAX_SIGNATURE_LINES = 12;
/** A longer text is more than a ticket takes, marks or not. */
const MAX_FOLDED = 1_000_000;
/** Longer lines introduce nothing, and patterns need not look at them. */
const MAX_INTRODUCTION = 400;

/** Asked first, because most texts have none of it. */
const looksLikeMail =
  /^(?:[ \t]*>|--[ \t]*$|-{2,40} ?[a-zü' ]{7,30} ?-|_{10}|(?:from|von|de|da|van) ?:|sent |gesendet |envoyé |enviado |inviato |verzonden |verstuurd )|(?:wrote|schrieb|écrit|escribió|scritto|escreveu|schreef|skrev|napisał)/im;
const introduction =
  /^(?:on|am|le|el|il|em|op|den|w dniu|dnia) .{5,250}(?:wrote|schrieb|écrit|escribió|scritto|escreveu|schreef|skrev|napisał(?:\(a\))?).{0,100}:$/i;
const separator =
  /^-{2,} ?(?:original message|forwarded message|ursprüngliche nachricht|message d'origine|mensaje original|messaggio originale|oorspronkelijk bericht) ?-{0,20}$/i;
const headFrom = /^\*?(?:from|von|de|da|van) ?:\*? .+/i;
const headSent = /^\*?(?:sent|date|gesendet|datum|envoyé|enviado|inviato|data|verzonden|fecha) ?:\*? .+/i;
const phone =
  /^(?:sent|gesendet|envoyé|enviado|inviato|verzonden|verstuurd) (?:from|von|depuis|de mon|desde|da|vanaf) .{2,60}$/i;

const isQuoted = (line: string): boolean => /^[ \t]*>/.test(line);
const isBlank = (line: string): boolean => line.trim() === '';

/** Whether an older mail begins in this line; the words that introduce one may run over two. */
function introducesMail(lines: readonly string[], at: number): boolean {
  const line = (lines[at] ?? '').trim();
  if (line.length > MAX_INTRODUCTION) return false;
  if (separator.test(line)) return true;
  const next = (lines[at + 1] ?? '').trim().slice(0, MAX_INTRODUCTION);
  if (headFrom.test(line) && headSent.test(next)) return true;
  // A date or an address is in it: people, too, write that somebody wrote something.
  return /[\d@]/.test(line) && (introduction.test(line) || introduction.test(`${line} ${next}`));
}

/** Where the history at the end of a mail begins; `end` where there is none, or answers stand between its lines. */
function historyIn(lines: readonly string[], end: number): number {
  const own = lines.findLastIndex((line, at) => at < end && !isBlank(line) && !isQuoted(line));
  const firstQuoted = lines.findIndex(isQuoted);
  for (let at = 0; at < end; at += 1) {
    if (isQuoted(lines[at] ?? '') || !introducesMail(lines, at)) continue;
    const isMarked = firstQuoted >= at && firstQuoted < end;
    return !isMarked || own <= at + 1 ? at : end;
  }
  return firstQuoted > own && firstQuoted < end ? firstQuoted : end;
}

function signatureIn(lines: readonly string[], end: number): number {
  for (let at = end - 1; at >= Math.max(0, end - MAX_SIGNATURE_LINES); at -= 1) {
    const line = (lines[at] ?? '').trim();
    if (line === '--' || phone.test(line)) return at;
  }
  return end;
}

/**
 * A mail with a mark before its quoted history and before its signature. History that ends the mail is marked; where
 * the customer answered between quoted lines, their own `>` tell them apart. A mail that begins with a quotation, or
 * is nothing else, is left as it is.
 */
export function foldMail(text: string): string {
  if (text.length > MAX_FOLDED || !looksLikeMail.test(text)) return text;
  const lines = text.split('\n');
  // The signature stands before the history, as most programs have it, or at the very end.
  const whole = historyIn(lines, lines.length);
  const lastSignature = whole < lines.length ? lines.length : signatureIn(lines, lines.length);
  const history = whole < lines.length ? whole : historyIn(lines, lastSignature);
  const signature = signatureIn(lines, history);
  const marks = new Map<number, string>();
  if (lastSignature < lines.length) marks.set(lastSignature, SIGNATURE);
  if (history < lastSignature) marks.set(history, QUOTED);
  if (signature < history) marks.set(signature, SIGNATURE);
  const first = Math.min(...marks.keys(), lines.length);
  if (marks.size === 0 || lines.slice(0, first).every(isBlank)) return text;
  return lines
    .flatMap((line, at) => {
      const mark = marks.get(at);
      return mark === undefined ? [line] : [mark, line];
    })
    .join('\n');
}
