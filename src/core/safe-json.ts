export function utf8Bytes(text: string): number {
  return new TextEncoder().encode(text).length;
}
export function cleanText(text: string): string {
  return text;
}
export function stableJson(value: unknown): string {
  return (
    JSON.stringify(value, (_, v: unknown) =>
      v && typeof v === 'object' && !Array.isArray(v)
        ? Object.fromEntries(Object.entries(v).sort(([a], [b]) => (a < b ? -1 : 1)))
        : v,
    ) ?? 'null'
  );
}
export function toResultText(value: unknown, maxBytes: number): { text: string; cutBytes: number } {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? 'null');
  return { text: text.slice(0, maxBytes), cutBytes: 0 };
}
