import { beforeAll, describe, expect, it } from 'vitest';
import { bounds } from '../../src/report/bounds.ts';
import { createReport } from '../../src/report/report.ts';
import { aResult } from '../tickets/a-result.ts';
import { anAbout, anEntry, aStep, type Given, pageOf } from './a-entry.ts';

const ended = (reason: string, message: string) => ({ reason, message, resumable: true });
const cost = (spentUsd: number) => ({ ...aResult().cost, spentUsd });
const approval = {
  ...{ callId: 'call_1_0', tool: 'issue_refund', status: 'pending', inputHash: 'x' },
  ...{ input: { orderId: 'ORD-9', amountCents: 5400 }, expiresAt: '2026-03-05T07:00:00.000Z' },
};
const waiting: Given = {
  row: { id: 'W-1', status: 'awaiting_approval', stop: null, output: null },
  job: { approvals: [approval, { ...approval, tool: 'already_decided', status: 'approved' }] },
};

describe('the report of a run', () => {
  let page: string;
  beforeAll(async () => {
    const stopped = ended('max_steps', 'It used 12 of 12 steps.');
    page = await pageOf([
      anEntry({ row: { id: 'A-1' } }),
      anEntry(waiting),
      anEntry({
        row: { id: 'S-1', status: 'stopped', stop: stopped, error: stopped.message, output: null },
      }),
      anEntry({ row: { id: 'R-1', output: { category: 'delivery', needs_human: true } } }),
      anEntry({ row: { id: 'N-1', status: 'not_started', stop: null, output: null, steps: 0 }, job: null }),
    ]);
  });

  it('says in one line what happened and what it cost', () => {
    expect(page).toContain(
      '<h1>5 tickets triaged: 2 answered, 1 waits for an approval, 1 stopped or failed, 1 not started, for $0.0615</h1>',
    );
    expect(page).toContain('1 to approve, 1 to check, 1 without an answer');
    expect(page).toContain('5 read = 5 accepted + 0 rejected + 0 skipped + 0 duplicates');
  });

  it('says what waits for a person, with the arguments and the command that decides', () => {
    expect(page).toContain('npm run triage -- tickets.csv --approvals ask');
    expect(page).toContain('<strong>issue_refund</strong> for <a href="#t1"><bdi>W-1</bdi></a>');
    expect(page).toMatch(/<bdi>amountCents<\/bdi><\/dt>\s*<dd><bdi>5400<\/bdi>/);
    expect(page).toContain('open until 2026-03-05 07:00:00 UTC');
    expect(page).not.toContain('already_decided');
  });

  it('says why a job stopped, and which answers are to be checked', () => {
    expect(page).toContain('<td>max steps</td>');
    expect(page).toContain('It used 12 of 12 steps.');
    expect(page).toMatch(/1 ticket to check[\s\S]*<li><a href="#t3"><bdi>R-1<\/bdi>/);
  });

  it('shows the trace of every ticket that was started', () => {
    expect(page.match(/<details>/g)).toHaveLength(5);
    expect(page.match(/<b>Step 1<\/b>/g)).toHaveLength(4);
    expect(page).toContain('<span>model 840 ms</span> <span>tools 3 ms</span> <span>queue 12 ms</span>');
    expect(page).toContain('{&quot;orderId&quot;:&quot;ORD-1&quot;}');
    expect(page).toContain('It was not started.');
  });

  it('needs nothing from anywhere and runs nothing', () => {
    expect(page).toContain(
      `<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; img-src data:">`,
    );
    expect(page).not.toMatch(/<script|<iframe|<object|@import|url\(|https?:/i);
    expect(
      [...page.matchAll(/(?:src|href)="([^"]*)"/g)].filter(([, to]) => !/^(#|data:,$)/.test(to ?? '')),
    ).toEqual([]);
  });

  it('leads every link to a place on the page', () => {
    const ids = new Set([...page.matchAll(/ id="([^"]*)"/g)].map(([, id]) => id));
    for (const [, to] of page.matchAll(/href="#([^"]*)"/g)) expect(ids).toContain(to);
  });

  it('says nothing of scripts or rejected rows where there are none', () => {
    expect(page).not.toMatch(/scripted|Rejected rows/i);
  });
});

describe('the report of an agent that hides card numbers', () => {
  const card = '4111 1111 1111 1111';
  const entry = anEntry({
    row: {
      ...{ id: 'C-1', status: 'awaiting_approval', stop: null, text: card, error: `It said ${card}.` },
      output: { summary: `paid by ${card}`, evidence: [card], category: card, list: [] },
    },
    subject: `My card ${card}`,
    job: { input: `Triage this ticket: ${card}`, approvals: [{ ...approval, input: { card } }] },
    steps: [aStep({ calls: [{ name: 'find', input: { card: '[card 1]' }, output: '[card 1]' }] })],
  });

  it('shows what the model was sent, and says where the originals are', async () => {
    const page = await pageOf([entry, entry], {}, ['card', 'iban']);
    expect(page).not.toContain('4111');
    expect(page).toContain('Triage this ticket: [card 1]');
    expect(page).not.toContain('[card 2]');
    expect(page).not.toContain('[~card 1]');
    expect(page).toContain(
      'Card numbers and IBANs are hidden here, as from the model: [card 1] stands for one. Answers with the originals are in results.jsonl.',
    );
  });

  it('shows all where the agent hides nothing, and says so little', async () => {
    const page = await pageOf([entry], {});
    expect(page).toContain(`Triage this ticket: ${card}`);
    expect(page).not.toContain('hidden here');
  });

  it('says of an empty field that there is none', async () => {
    expect(await pageOf([entry])).toContain(
      '<bdi>list</bdi></dt><dd dir="auto"><span class="soft">none</span></dd>',
    );
  });
});

it('does not count a ticket without text as answered', async () => {
  const noText = { steps: 0, needsReview: true, output: { needs_human: true, confidence: 0 } };
  const page = await pageOf([anEntry(), anEntry({ row: { id: 'E-1', ...noText } })]);
  expect(page).toContain('<h1>2 tickets triaged: 1 answered, 1 without text, for');
  expect(page).toContain('<dt>Answered</dt><dd><span class="figure">1</span>');
  expect(page).toContain('1 ticket without text is among them: there was nothing to ask.');
});

it('says plainly that answers are scripted, and why rows were kept from starting', async () => {
  const page = await pageOf([anEntry()], { scripted: 'scripted by rules', stopped: 'The pool is used up.' });
  expect(page).toContain('All answers are scripted by rules: no model was asked and no money was spent.');
  expect(page).toContain('The pool is used up.');
});

it('lists rejected rows by line and reason, so many as there is room for', async () => {
  const report = createReport();
  for (let line = 2; line < 302; line += 1) report.reject({ line, reason: `no <text> in ${line}` });
  const about = anAbout([]);
  const summary = { ...about.summary, read: 300, rejected: 300 };
  let page = '';
  for await (const piece of report.html({ ...about, summary })) page += piece;
  expect(page).toContain('<a href="#rejected">300 rejected</a>');
  expect(page).toContain('no &lt;text&gt; in 2<');
  expect(page.match(/no &lt;text&gt; in/g)).toHaveLength(bounds.listed);
  expect(page).toContain('All 300 are in rejected.jsonl.');
});

it('lets nothing out that a ticket, an answer or a tool says', async () => {
  const evil = '</pre></details></title><script>alert(1)</script><img src=x onerror="a()">\u202e"\'';
  const page = await pageOf(
    [1, 2].map(() =>
      anEntry({
        row: {
          ...{ id: evil, text: evil, error: evil, needsReview: true, stop: ended(evil, evil) },
          output: { [evil]: evil, category: evil.slice(0, 40), list: [evil] },
        },
        subject: evil,
        job: { input: evil, approvals: [{ ...approval, tool: evil, input: { [evil]: evil } }] },
        steps: [
          aStep({
            ...{ at: evil, text: evil, model: { stopReason: evil, attempts: 2 } },
            calls: [
              { name: evil, input: { [evil]: evil }, output: [{ type: 'text', text: evil }], ms: evil },
            ],
          }),
        ],
      }),
    ),
    { agent: evil, scripted: evil, stopped: evil, decide: [evil] },
  );
  expect(page).not.toMatch(/<script|<img|\u202e/);
  expect(page.match(/<\/title>/g)?.length).toBe(page.match(/<title>/g)?.length);
  expect(page.match(/<\/details>/g)).toHaveLength(2);
});

describe('a run of more tickets than there is room for', () => {
  const many = bounds.tickets + 500;
  const long = 'word & คำ '.repeat(3_000);
  const steps = Array.from({ length: 30 }, (_, at) =>
    aStep({
      step: at + 1,
      text: long,
      calls: Array.from({ length: 30 }, () => ({ name: 'x', input: long, output: long })),
    }),
  );
  let page: string;
  let read = 0;
  beforeAll(async () => {
    const entries = Array.from({ length: many }, (_, at) => {
      const row = {
        ...{ id: `T-${at}`, line: at + 2, cost: cost(at === 700 ? 0.9 : 0.001) },
        output: { category: `c${at % 5}`, summary: long, [`own${at}`]: 'x' },
      };
      const given =
        at === many - 1 ? { row: { ...waiting.row, id: `T-${at}` }, job: waiting.job } : { row, job: {} };
      const entry = anEntry({ ...given, subject: long, steps, job: { input: long, ...given.job } });
      return {
        ...entry,
        trace: () => {
          read += 1;
          return entry.trace();
        },
      };
    });
    page = await pageOf(entries);
  });

  it('stays a file of a few megabytes', () => {
    expect(Buffer.byteLength(page)).toBeLessThan(6_000_000);
    expect(read).toBe(bounds.tickets);
  });

  it('shows first who needs a person and what is dearest, then the first of the file', () => {
    const ids = [...page.matchAll(/<tbody id="t(\d+)"/g)].map(([, ordinal]) => Number(ordinal));
    expect(ids).toHaveLength(bounds.tickets);
    expect(ids).toEqual([...ids].sort((a, b) => a - b));
    expect(ids).toContain(many - 1);
    expect(ids).toContain(700);
    expect(ids).toContain(0);
    expect(ids).not.toContain(many - 2);
  });

  it('says what is left out and where it is, and counts all of it', () => {
    expect(page).toContain('1,000 of 1,500 tickets are shown');
    expect(page).toContain('All are in results.jsonl.');
    expect(page).toContain('<li>c0: 300</li>');
    expect(page).toMatch(/Steps left out: \d+/);
  });
});

it('makes the same page of the same rows', async () => {
  const rows = [anEntry(), anEntry(waiting), anEntry({ row: { cost: cost(0.5) } })];
  expect(await pageOf(rows)).toBe(await pageOf(rows));
});

it('makes a page of a run without any ticket', async () => {
  const page = await pageOf([]);
  expect(page).toContain('<h1>0 tickets triaged: 0 answered, for $0.0000</h1>');
  expect(page).toContain('Nothing: no ticket waits');
});
