import type { Stretch } from './redact.ts';

const MAX_LOCAL = 64;
const MAX_DOMAIN = 254;
const localPart = /[\p{L}\p{N}._%+'-]/u;
const domain =
  /^(?:[\p{L}\p{N}](?:[\p{L}\p{N}-]{0,61}[\p{L}\p{N}])?\.){1,10}(?:xn--[a-zA-Z0-9-]{2,59}|\p{L}{2,24})(?![\p{L}\p{N}])/u;

/** E-mail addresses with a domain of at least two names. Looked for from each @, so that no long text is slow. */
export function findEmails(text: string): readonly Stretch[] {
  const found: Stretch[] = [];
  for (let at = text.indexOf('@'); at >= 0; at = text.indexOf('@', at + 1)) {
    let from = at;
    while (from > 0 && at - from < MAX_LOCAL && localPart.test(text.charAt(from - 1))) from -= 1;
    while (from < at && /[.'-]/.test(text.charAt(from))) from += 1;
    if (from === at || text.charAt(at - 1) === '.') continue;
    const rest = domain.exec(text.slice(at + 1, at + 1 + MAX_DOMAIN));
    if (rest !== null) found.push({ from, to: at + 1 + rest[0].length });
  }
  return found;
}

interface PhoneForm {
  readonly pattern: RegExp;
  readonly min: number;
  readonly max: number;
  /** A word before it says that it is a phone number. */
  readonly told?: true;
}

/** Nothing of a longer word or number before, in groups or not, and none of a date, time or amount. */
const before = '(?<![\\w+./,:#-])(?<!\\d{3} )';
const after = '(?!\\w|[./:,-]\\d)';
const phoneWord =
  '(?:phone|tel|telefon|t[ée]l[ée]phone|fon|mobile?|cell|handy|call|whatsapp|fax|sms|m[óo]vil|celular)';
const forms: readonly PhoneForm[] = [
  // +49 30 1234567, +1 (212) 555-0123
  { pattern: /(?<![\w+])\+ ?\(?[1-9](?:[ ./()-]{0,3}\d){6,14}(?!\d|[.,]\d)/g, min: 7, max: 15 },
  // 0049 30 1234567
  {
    pattern: new RegExp(`${before}00[1-9]\\d{0,2}(?:[ ./()-]{1,3}\\d{1,12}){1,6}${after}`, 'g'),
    min: 9,
    max: 17,
  },
  // 030 1234567, (0151) 2345-6789, 01 23 45 67 89
  {
    pattern: new RegExp(`${before}\\(?0[1-9]\\d{0,4}\\)?(?:[ ./-]{1,3}\\d{1,8}){1,6}${after}`, 'g'),
    min: 9,
    max: 12,
  },
  // (212) 555-0123, 1-212-555-0123
  {
    pattern: new RegExp(
      `${before}(?:1[ .-])?\\(?[2-9]\\d{2}\\)?[ .-]{1,2}[2-9]\\d{2}[ .-]\\d{4}${after}`,
      'g',
    ),
    min: 10,
    max: 11,
  },
  // Tel.: 6123456789
  {
    pattern: new RegExp(
      `(?<=(?<![A-Za-z])${phoneWord}[^\\d\\n+(]{0,16})(?<![\\w+(])\\(?\\d(?:[ ./()-]{0,3}\\d){6,14}${after}`,
      'gi',
    ),
    min: 7,
    max: 15,
    told: true,
  },
];

/** What a number is that is no phone number, in the words before it. */
const otherWord =
  /(?:order|ticket|invoice|case|ref|reference|tracking|parcel|shipment|account|customer|serial|sku|id|bestell(?:ung)?|auftrag|rechnung|kunden?|commande|facture|pedido|factura|#)(?:s?[ -]?(?:nummer|number|no|nr|num|id))?[\s.:#-]*$/i;
const phoneNumberWord = new RegExp(`(?<![A-Za-z])${phoneWord}(?![A-Za-z]{4})`, 'i');
const dateFirst = /^\(?0?\d[./-]\d{1,2}[./-](?:19|20)\d\d(?!\d)/;

/**
 * Phone numbers: international ones, and national ones in groups, or after a word that says so. Numbers of orders and
 * tickets, dates and amounts are none.
 */
export function findPhones(text: string): readonly Stretch[] {
  const found: Stretch[] = [];
  for (const { pattern, min, max, told } of forms) {
    for (const match of text.matchAll(pattern)) {
      const digits = match[0].replaceAll(/\D/g, '').length;
      if (digits < min || digits > max || dateFirst.test(match[0])) continue;
      const words = text.slice(Math.max(0, match.index - 30), match.index);
      if (otherWord.test(words) && (told === true || !phoneNumberWord.test(words))) continue;
      found.push({ from: match.index, to: match.index + match[0].length });
    }
  }
  return found;
}
