import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import { ticketPrompt, triageOutput } from '../../src/agents/triage.ts';
import { type EvalCases, readCases } from '../../src/cli/eval-cases.ts';
import { readTickets } from '../../src/tickets/read.ts';
import { sourceOf } from '../../src/tickets/source.ts';
import { findOrder } from '../../src/tools/shop-data.ts';

const example = (name: string): string => fileURLToPath(new URL(`../../examples/${name}`, import.meta.url));

/** What follows the subject: ids, dates and addresses differ anyway. */
const saidIn = (prompt: string): string => prompt.slice(prompt.indexOf('\nsubject: ')).toLowerCase();

describe('the labelled example tickets', () => {
  let read: EvalCases;
  let texts: readonly string[];
  beforeAll(async () => {
    read = await readCases(example('eval.jsonl'), undefined);
    texts = read.cases.map(({ input }) => saidIn(String(input)));
  });

  it('are 100, E-001 to E-100, all of them labelled', () => {
    expect(read.cases.map(({ id }) => id)).toEqual(
      Array.from({ length: 100 }, (_, at) => `E-${String(at + 1).padStart(3, '0')}`),
    );
    expect(read).toMatchObject({ unlabelled: [], refused: [], skipped: 0, duplicates: 0 });
  });

  it('have labels that the agent can answer, for the same five fields at least', () => {
    const labels = triageOutput
      .pick({ category: true, priority: true, language: true, route_to: true, needs_human: true })
      .extend({ sentiment: triageOutput.shape.sentiment.optional() })
      .strict();
    for (const { id, labels: given } of read.cases) {
      const parsed = labels.safeParse({ ...given, needs_human: given['needs_human'] === 'true' });
      expect([id, parsed.error?.message]).toEqual([id, undefined]);
      expect(['true', 'false']).toContain(given['needs_human']);
    }
  });

  it('use every category, priority, route and sentiment', () => {
    const used = (field: string): readonly string[] =>
      [...new Set(read.cases.flatMap(({ labels }) => labels[field] ?? []))].sort();
    const { category, priority, route_to, sentiment } = triageOutput.shape;
    expect(used('category')).toEqual([...category.options].sort());
    expect(used('priority')).toEqual([...priority.options].sort());
    expect(used('route_to')).toEqual([...route_to.options].sort());
    expect(used('sentiment')).toEqual([...sentiment.options].sort());
  });

  it('are in at least the eight languages of the example tickets', () => {
    const languages = new Set(read.cases.map(({ labels }) => labels['language']));
    for (const language of ['en', 'de', 'fr', 'es', 'pt', 'ja', 'th', 'vi'])
      expect(languages).toContain(language);
    expect(languages.size).toBeGreaterThanOrEqual(12);
  });

  it('are all different from each other and from the other examples', async () => {
    expect(new Set(texts).size).toBe(100);
    for (const name of ['tickets.csv', 'tickets-hard.csv']) {
      const others = new Set<string>();
      for await (const read of readTickets(sourceOf(name, readFileSync(example(name)))))
        if (read.type === 'accepted') others.add(saidIn(ticketPrompt(read.ticket)));
      expect(others.size).toBeGreaterThan(5);
      expect(texts.filter((text) => others.has(text))).toEqual([]);
    }
  });

  it('are short and long, about orders of the shop and about some that do not exist', () => {
    const lengths = texts.map((text) => text.length);
    expect(Math.min(...lengths)).toBeLessThan(70);
    expect(Math.max(...lengths)).toBeGreaterThan(1_000);
    const orders = new Set(texts.flatMap((text) => text.match(/ord-\d+/g) ?? []));
    const exists = (id: string): boolean => {
      try {
        return findOrder(id).orderId !== '';
      } catch {
        return false;
      }
    };
    expect([...orders].filter(exists).length).toBeGreaterThan(20);
    expect([...orders].filter((id) => !exists(id)).length).toBeGreaterThan(1);
  });

  it('name no address but those that are kept for examples', () => {
    const addresses = read.cases.flatMap(({ input }) => String(input).match(/\S+@\S+/g) ?? []);
    expect(addresses).toHaveLength(100);
    for (const address of addresses) expect(address).toMatch(/^customer-\d{3}@example\.com$/);
  });
});
