/** Text of fewer characters is parsed whatever is in it. */
const FEW_CHARACTERS = 200_000;
/** A ticket has some hundred, its conversation some thousand; every value takes a hundred times the memory of its text. */
export const MAX_VALUES = 50_000;
const [QUOTE, COMMA, BACKSLASH] = [34, 44, 92];

/** Whether a row of JSON has more values than are read: told without parsing it, because parsing is what they cost. */
export function hasTooManyValues(raw: string): boolean {
  if (raw.length < FEW_CHARACTERS) return false;
  let values = 1;
  let inQuotes = false;
  for (let at = 0; at < raw.length; at += 1) {
    const code = raw.charCodeAt(at);
    if (code === QUOTE) inQuotes = !inQuotes;
    else if (inQuotes) at += code === BACKSLASH ? 1 : 0;
    else if (code === COMMA) values += 1;
  }
  return values > MAX_VALUES;
}
