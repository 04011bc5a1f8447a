import { systemIds } from '../adapters/system.ts';
import { agents as shipped } from '../agents/index.ts';
import { freeze } from '../core/frozen-agent.ts';
import { type PrivateKind, privateKinds } from '../core/redact.ts';

/**
 * What an agent of a deployment hides from the model, as far as it is known here: of a shipped agent exactly that. Of any
 * other, and of a shipped one whose version there is not ours, everything: what is shown cannot be hidden again.
 */
export function hiddenThere(name: string, version?: string): readonly PrivateKind[] {
  const ours = shipped.find((agent) => agent.name === name);
  if (ours === undefined) return privateKinds;
  return version === undefined || version === systemIds.hash(freeze(ours)) ? ours.redact : privateKinds;
}
