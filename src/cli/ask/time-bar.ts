/** Where the time of a step went, in milliseconds. */
export interface StepTime {
  readonly queue: number;
  readonly model: number;
  readonly tools: number;
  readonly engine: number;
}

const parts = ['queue', 'model', 'tools', 'engine'] as const;

export function tookMs(ms: StepTime): number {
  return parts.reduce((whole, part) => whole + ms[part], 0);
}

/** `[qMMMMMMTTe]`: each part as long as its share, by its first letter. */
export function timeBar(ms: StepTime, width: number): string {
  const sum = tookMs(ms);
  if (sum <= 0) return `[${' '.repeat(width)}]`;
  let drawn = '';
  let before = 0;
  for (const part of parts) {
    before += ms[part];
    // By the running sum, so that the whole is never longer or shorter than the bar.
    const until = Math.round((before / sum) * width);
    drawn += (part === 'model' ? 'M' : part === 'tools' ? 'T' : part.charAt(0)).repeat(until - drawn.length);
  }
  return `[${drawn}]`;
}

/** The same in figures. */
export const timeText = (ms: StepTime): string =>
  `${parts.map((part) => `${part} ${Math.round(ms[part])}`).join(', ')} ms`;
