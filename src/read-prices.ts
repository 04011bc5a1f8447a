import { existsSync, readFileSync } from 'node:fs';
import { builtInPrices, type PriceTable, readPrices } from './core/prices.ts';

/** The price table by `TREADLE_PRICES`: JSON text, or the name of a file that holds it; the built-in one without it. */
export function pricesFrom(setting: string | undefined): PriceTable {
  if (setting === undefined) return builtInPrices;
  return readPrices(existsSync(setting) ? readFileSync(setting, 'utf8') : setting);
}
