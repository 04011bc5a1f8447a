import type { Stretch } from './redact.ts';

/**
 * Tokens that say by their beginning what they are. None begins inside a word, so that a long run of such characters is
 * looked at once.
 */
const tokens = new RegExp(
  `(?<![\\w-])(?:${[
    'sk-ant-[\\w-]{8,}',
    // Any other key of this form holds digits; words with hyphens do not.
    'sk-(?=[\\w-]{0,255}\\d)[\\w-]{20,}',
    '[sr]k_(?:live|test)_\\w{10,}',
    'A(?:KIA|SIA)[A-Z0-9]{16}(?![A-Za-z0-9])',
    'gh[opsur]_[A-Za-z0-9]{20,}',
    'github_pat_\\w{20,}',
    'glpat-[\\w-]{20,}',
    'xox[abeoprs]-[\\w-]{10,}',
    'xapp-[\\w-]{10,}',
    'AIza[\\w-]{30,}',
    'npm_[A-Za-z0-9]{30,}',
    'eyJ[\\w-]{8,}\\.[\\w-]{8,}(?:\\.[\\w-]*)?',
  ].join('|')})`,
  'g',
);

/** What may stand in a secret: not a blank, a quote or a mark that ends a value. */
const value = `[^\\s"'\`,;&<>(){}\\\\]`;
const assigned = `\\\\?["']?\\s{0,3}[:=]\\s{0,3}\\\\?["']?`;
const withDigitAndLetter = `(?=${value}{0,255}\\d)(?=${value}{0,255}[A-Za-z])`;
/** As people of the languages that ticket files are mostly written in say it. */
const passwordWords = [
  ...['passwor[dt]', 'passwd', 'pwd', 'kennwort', 'mot de passe', 'contrase[ñn]a', 'senha', 'palavra-passe'],
  ...['wachtwoord', 'has[łl]o', 'heslo', 'l[öo]senord', 'adgangskode', 'passord', 'parol[ae]', 'пароль'],
  ...['şifre', 'パスワード', '密码', '密碼', '비밀번호', 'รหัสผ่าน', 'كلمة (?:السر|المرور)'],
].join('|');
const named = [
  // After "Bearer" ordinary words may follow; a token holds a digit or is long.
  `(?<![\\w-])bearer\\s{1,3}((?=${value}{0,255}\\d)${value}{8,}|[\\w.~+/-]{24,}=*)`,
  `authorization${assigned}(?:basic|bearer|token)\\s{1,3}(${value}{6,})`,
  // Without a scheme it may be what a bank says about a payment.
  `authorization${assigned}((?=${value}{0,255}\\d)${value}{6,}|${value}{24,})`,
  `(?:(?:api|access|secret|private|client|auth|refresh|session)[_ -]?(?:key|token|secret)|${passwordWords})${assigned}(${withDigitAndLetter}${value}{6,})`,
  // These two words stand before ordinary ones as well.
  `(?<![A-Za-z])(?:token|secret)${assigned}(${withDigitAndLetter}${value}{12,})`,
].map((pattern) => new RegExp(pattern, 'gi'));

/** What every one of these forms has at least one of. */
const hint = /[-_:=.]|bearer|A(?:KIA|SIA|Iza)/i;

/** Keys and tokens, by what they begin with or by the name before them; of the latter only the value. */
export function findKeys(text: string): readonly Stretch[] {
  if (!hint.test(text)) return [];
  const found: Stretch[] = [...pemKeys(text)];
  for (const match of text.matchAll(tokens)) {
    found.push({ from: match.index, to: match.index + match[0].length });
  }
  for (const pattern of named) {
    for (const match of text.matchAll(pattern)) {
      const [whole, key = ''] = match;
      const from = match.index + whole.length - key.length;
      // What ends a sentence is no part of it: it is looked for by itself from then on.
      found.push({ from, to: from + key.replace(/[.:]{1,3}$/, '').length });
    }
  }
  return found;
}

const END = /-----END [A-Z0-9 ]{0,40}PRIVATE KEY-----/g;

/** Private keys in PEM, to their last line; one that is cut off to where what may stand in it ends. */
function pemKeys(text: string): readonly Stretch[] {
  const found: Stretch[] = [];
  const begin = /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY-----/g;
  for (let match = begin.exec(text); match !== null; match = begin.exec(text)) {
    END.lastIndex = begin.lastIndex;
    const end = END.exec(text);
    const to = end === null ? begin.lastIndex + lengthOfRest(text, begin.lastIndex) : END.lastIndex;
    found.push({ from: match.index, to });
    begin.lastIndex = to;
  }
  return found;
}

function lengthOfRest(text: string, from: number): number {
  const rest = /[A-Za-z0-9+/=\s\\:.,-]*/y;
  rest.lastIndex = from;
  return rest.exec(text)?.[0].length ?? 0;
}
