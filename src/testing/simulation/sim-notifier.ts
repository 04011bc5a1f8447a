import type { Notice, Notifier, Told } from '../../ports.ts';
import { type Process, perform, type Sim } from './sim.ts';

/** Where the webhooks of simulated jobs and batches point to. */
export const HOOK = 'https://example.org/hook';

/** Those who are told, as one process reaches them. What they do not hear, or answer in vain, is told again. */
export function notifierOf(sim: Sim, process: Process): Notifier {
  const { events, webhook, deaf } = sim.listeners;
  const tell = async (way: 'event' | 'webhook', notice: Notice): Promise<Told> => {
    sim.referee.telling(way, notice);
    try {
      return await perform(sim, process, way === 'event' ? 'publish' : 'post', 'notice', (fault): Told => {
        if (deaf) return { type: 'again', problem: 'nobody is there' };
        if (fault === 'never') {
          sim.referee.refused(way, notice);
          return { type: 'never', problem: 'gone' };
        }
        sim.referee.heard(way, notice);
        return { type: 'told' };
      });
    } catch {
      return { type: 'again', problem: 'no answer' };
    }
  };
  return {
    events: events ? { publish: (notice) => tell('event', notice) } : undefined,
    webhook: webhook ? { post: (_, notice) => tell('webhook', notice) } : undefined,
  };
}
