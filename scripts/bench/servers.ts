import { readScript } from '../../src/adapters/scripted-model/script.ts';
import { startScriptedModel } from '../../src/adapters/scripted-model/server.ts';
import { startStandIns } from '../../src/local/stand-ins.ts';

/** The servers of the benchmark, in a process of their own: what they cost is not the worker's. */
const steps = Number(process.argv[2] ?? 5);
const message = (at: number, content: unknown, stop_reason: string) => ({
  http: 200,
  body: {
    id: `msg_${at}`,
    type: 'message',
    role: 'assistant',
    model: 'scripted-1',
    content,
    stop_reason,
    usage: 'count',
  },
});
const turns = Array.from({ length: steps - 1 }, (_, at) =>
  message(
    at,
    [{ type: 'tool_use', id: `toolu_${at}`, name: 'search', input: { query: `question ${at}` } }],
    'tool_use',
  ),
);
const script = readScript(
  JSON.stringify({
    name: 'bench',
    turns: [...turns, message(steps, [{ type: 'text', text: 'Done.' }], 'end_turn')],
  }),
);

const standIns = await startStandIns();
const model = await startScriptedModel({ script });
process.send?.({ ...standIns, close: undefined, modelUrl: model.url });
process.once('disconnect', () => process.exit(0));
