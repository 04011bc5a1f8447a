import type { Stretch } from './redact.ts';

/** One run of digits, and the first group of the chain it belongs to: groups with blanks or hyphens between. */
interface Group {
  readonly from: number;
  readonly to: number;
  readonly chain: number;
}

const MIN_DIGITS = 13;
const MAX_DIGITS = 19;
/** By the lengths and first digits that card schemes use: a time in milliseconds or a device number is none. */
const scheme =
  /^(?:4(?:\d{12}|\d{15}|\d{18})|[56]\d{12,18}|3[47]\d{13}|3(?:0[0-5]|[689]\d)\d{11,16}|35\d{14,17}|2[2-7]\d{14}|8[12]\d{14}|(?:2131|1800)\d{11})$/;

/** Card numbers: 13 to 19 digits of a scheme that pass the Luhn check, together or in groups as cards are written. */
export function findCards(text: string): readonly Stretch[] {
  const groups = digitGroups(text);
  const found: Stretch[] = [];
  for (const [first, start] of groups.entries()) {
    if (!mayBegin(text, start.from)) continue;
    let digits = '';
    for (let last = first; last < groups.length; last += 1) {
      const end = groups[last];
      if (end === undefined || end.chain !== start.chain) break;
      digits += text.slice(end.from, end.to);
      if (digits.length > MAX_DIGITS) break;
      if (digits.length < MIN_DIGITS || !mayEnd(text, end.to)) continue;
      const sizes = groups.slice(first, last + 1).map(({ from, to }) => to - from);
      if (isCardShape(sizes) && scheme.test(digits) && passesLuhn(digits)) {
        found.push({ from: start.from, to: end.to });
      }
    }
  }
  return found;
}

function digitGroups(text: string): readonly Group[] {
  const groups: Group[] = [];
  let before: Group | undefined;
  for (const match of text.matchAll(/\d+/g)) {
    const from = match.index;
    const joined =
      before !== undefined && /^[ \t-]{1,3}$/.test(text.slice(before.to, Math.min(from, before.to + 4)));
    const to = from + match[0].length;
    before = { from, to, chain: joined ? (before?.chain ?? from) : from };
    groups.push(before);
  }
  return groups;
}

/** Groups of one size, the last as long or shorter; or 4-6-5 and 4-6-4. Dates, ids and amounts are of other shapes. */
function isCardShape(sizes: readonly number[]): boolean {
  const [first = 0] = sizes;
  const last = sizes.at(-1) ?? 0;
  if (sizes.slice(0, -1).every((size) => size === first) && last <= first) return true;
  return sizes.length === 3 && first === 4 && sizes[1] === 6 && (last === 5 || last === 4);
}

/** Not inside a word, not the figures of a fraction, not after the plus of a phone number. Commas part cells. */
function mayBegin(text: string, from: number): boolean {
  return !/(?:[A-Za-z_+]|\d\.)$/.test(text.slice(Math.max(0, from - 2), from));
}

function mayEnd(text: string, to: number): boolean {
  return !/^(?:[A-Za-z_]|\.\d)/.test(text.slice(to, to + 2));
}

function passesLuhn(digits: string): boolean {
  let sum = 0;
  for (let place = 0; place < digits.length; place += 1) {
    const value = digits.charCodeAt(digits.length - 1 - place) - 48;
    sum += place % 2 === 0 ? value : value < 5 ? value * 2 : value * 2 - 9;
  }
  return sum % 10 === 0;
}

/** Characters of an IBAN by its country, after the registry of SWIFT. */
const ibanLengths: ReadonlyMap<string, number> = new Map(
  (
    'AD24AE23AL28AT20AZ28BA20BE16BG22BH22BI27BR29BY28CH21CR22CY28CZ24DE22DJ27DK18DO28EE20EG29ES24FI18FK18FO18FR27' +
    'GB22GE22GI23GL18GR27GT28HN28HR21HU28IE22IL23IQ23IS26IT27JO30KW30KZ20LB28LC32LI21LT20LU20LV21LY25MC27MD24ME22' +
    'MK19MN20MR27MT31MU30NI28NL18NO15OM23PK24PL28PS29PT25QA29RO24RS22RU33SA24SC31SD18SE24SI19SK24SM27SO23ST25SV28' +
    'TL23TN24TR26UA29VA22VG24XK20YE30'
  )
    .match(/.{4}/g)
    ?.map((entry) => [entry.slice(0, 2), Number(entry.slice(2))]),
);
/** The countries whose account numbers are digits alone. */
const digitsOnly =
  /^(?:AE|AT|BA|BE|CZ|DE|DK|EE|ES|FI|FO|GL|HR|HU|IL|IS|LT|ME|MR|NO|PL|PT|RS|SE|SI|SK|TN|XK)(?!\d+$)/;
const MIN_IBAN = 15;
const MAX_IBAN = 34;

/** Account numbers: letters of one case, the length of their country (15 to 34 where it has none), and the check by 97. */
export function findIbans(text: string): readonly Stretch[] {
  const found: Stretch[] = [];
  for (const { index } of text.matchAll(/(?<![A-Za-z0-9_])(?:[A-Z]{2}|[a-z]{2})\d{2}/g)) {
    const written = ibanAt(text, index, ibanLengths.get(text.slice(index, index + 2).toUpperCase()));
    if (written !== undefined && isIban(written)) found.push({ from: index, to: index + written.length });
  }
  return found;
}

/** Together, or with a blank or hyphen after each fourth character, or with a blank after the fourth alone. */
const written = /^[A-Za-z0-9]{4}(?: ?[A-Za-z0-9]+|(?:[ -][A-Za-z0-9]{4})*(?:[ -][A-Za-z0-9]{1,4})?)$/;

/** What stands there with so many letters and digits, and ends there. Without a known length all of one word. */
function ibanAt(text: string, from: number, length: number | undefined): string | undefined {
  let to = from;
  let count = 0;
  for (; to < text.length && count < (length ?? MAX_IBAN + 1); to += 1) {
    if (/[A-Za-z0-9]/.test(text.charAt(to))) count += 1;
    else if (length === undefined || !/[ -]/.test(text.charAt(to))) break;
  }
  if (length === undefined ? count < MIN_IBAN || count > MAX_IBAN : count !== length) return undefined;
  const found = text.slice(from, to);
  return /[A-Za-z0-9_]/.test(text.charAt(to)) || !written.test(found) ? undefined : found;
}

function isIban(found: string): boolean {
  const plain = found.replaceAll(/[ -]/g, '');
  const upper = plain.toUpperCase();
  if (plain !== upper && plain !== plain.toLowerCase()) return false;
  return !digitsOnly.test(upper.replace(/^(..)\d\d/, '$1')) && remainderBy97(upper) === 1;
}

function remainderBy97(iban: string): number {
  let rest = 0;
  for (const character of iban.slice(4) + iban.slice(0, 4)) {
    const value = Number.parseInt(character, 36);
    rest = (rest * (value > 9 ? 100 : 10) + value) % 97;
  }
  return rest;
}
