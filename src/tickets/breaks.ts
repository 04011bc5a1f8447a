/**
 * Line breaks that an export wrote as the two characters backslash and n become line breaks. The rule: not inside of a
 * Windows path, which begins with a drive letter, a colon and a backslash, or with two backslashes, and ends at the
 * first blank, quote or doubled `\n`, or with the ending of a file's name. It is asked only of exports known to write
 * so, because in any other text `C:\new` and `"Hello\n"` mean what they say.
 */
export const withRealBreaks = (text: string): string =>
  text.includes('\\')
    ? text.replace(
        /(?:\b[A-Za-z]:\\(?!n\\n)|\\\\(?=\w))(?:(?!\\n\\n|(?<=\.\w{2,4})\\n)[^\s"'<>|]){0,4000}|\\r\\n|\\n|\\r/g,
        (found) => (/^\\(?:r\\n|n|r)$/.test(found) ? '\n' : found),
      )
    : text;
