import { EventBridgeClient, PutEventsCommand } from '@aws-sdk/client-eventbridge';
import { mockClient } from 'aws-sdk-client-mock';
import { expect, it } from 'vitest';
import { createEventBridge } from '../../src/adapters/event-bridge.ts';
import type { Notice } from '../../src/ports.ts';

const notice: Notice = {
  id: 'ntc_1',
  type: 'job.ended',
  tenant: 'acme',
  atMs: Date.UTC(2026, 0, 2, 3, 4, 5),
  data: { jobId: 'job_7', status: 'succeeded', spentUsd: 0.012 },
};

function aBus() {
  const client = new EventBridgeClient({ region: 'us-east-1' });
  return { aws: mockClient(client), bus: createEventBridge({ client, busName: 'treadle-events' }) };
}

it('puts one event with the notice as its detail, at the time of the notice', async () => {
  const { aws, bus } = aBus();
  aws.on(PutEventsCommand).resolves({ FailedEntryCount: 0, Entries: [{ EventId: 'e-1' }] });
  expect(await bus.publish(notice)).toEqual({ type: 'told' });
  const [entry] = aws.commandCalls(PutEventsCommand)[0]?.args[0].input.Entries ?? [];
  expect(entry).toMatchObject({
    EventBusName: 'treadle-events',
    Source: 'treadle',
    DetailType: 'job.ended',
    Time: new Date('2026-01-02T03:04:05Z'),
  });
  expect(JSON.parse(entry?.Detail ?? '')).toEqual({
    id: 'ntc_1',
    tenant: 'acme',
    jobId: 'job_7',
    status: 'succeeded',
    spentUsd: 0.012,
  });
});

it('lets no data stand in for the tenant or the id of the notice', async () => {
  const { aws, bus } = aBus();
  aws.on(PutEventsCommand).resolves({ FailedEntryCount: 0, Entries: [{ EventId: 'e-1' }] });
  await bus.publish({ ...notice, data: { tenant: 'other', id: 'x' } });
  const [entry] = aws.commandCalls(PutEventsCommand)[0]?.args[0].input.Entries ?? [];
  expect(JSON.parse(entry?.Detail ?? '')).toEqual({ id: 'ntc_1', tenant: 'acme' });
});

it('asks to be tried again when the bus refuses the entry in an answer of status 200', async () => {
  const { aws, bus } = aBus();
  aws.on(PutEventsCommand).resolves({
    FailedEntryCount: 1,
    Entries: [{ ErrorCode: 'ThrottlingException', ErrorMessage: 'job_7 of acme' }],
  });
  expect(await bus.publish(notice)).toEqual({
    type: 'again',
    problem: 'the event bus refused: ThrottlingException',
  });
  aws.on(PutEventsCommand).resolves({ FailedEntryCount: 1 });
  expect(await bus.publish(notice)).toEqual({
    type: 'again',
    problem: 'the event bus refused: UnknownError',
  });
});

it('names a failed request by its kind only', async () => {
  const { aws, bus } = aBus();
  aws.on(PutEventsCommand).rejects(Object.assign(new Error('acme job_7'), { name: 'InternalException' }));
  expect(await bus.publish(notice)).toEqual({
    type: 'again',
    problem: 'the event bus refused: InternalException',
  });
});

it('does not reject for a notice that cannot be written as JSON', async () => {
  const { bus } = aBus();
  expect(await bus.publish({ ...notice, data: { n: 1n } })).toMatchObject({ type: 'again' });
});
