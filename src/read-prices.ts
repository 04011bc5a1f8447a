import { existsSync, readFileSync } from 'node:fs';
import { builtInPrices, type PriceTable, readPrices, regionalPrices } from './core/prices.ts';
import type { ModelProvider } from './settings.ts';

export interface PriceSettings {
  /** JSON text, or the name of a file that holds it. @default none */
  readonly TREADLE_PRICES?: string | undefined;
  /** @default the vendor, whose prices those of Claude Platform on AWS are too */
  readonly MODEL_PROVIDER?: ModelProvider;
}

/** What models cost: by who serves them, and over that by `TREADLE_PRICES`. */
export function pricesFrom({ TREADLE_PRICES: setting, MODEL_PROVIDER }: PriceSettings): PriceTable {
  const table = MODEL_PROVIDER === 'bedrock' ? regionalPrices(builtInPrices) : builtInPrices;
  if (setting === undefined) return table;
  return readPrices(existsSync(setting) ? readFileSync(setting, 'utf8') : setting, table);
}
