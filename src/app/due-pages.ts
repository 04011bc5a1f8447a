import { dueShards } from '../core/table.ts';
import type { Due } from './store.ts';
import type { World } from './world.ts';

/** Rows of one shard in one page. */
const PAGE = 200;
/** Pages of one run, whatever the clock says. */
const MAX_PAGES = 5_000;

interface Open {
  readonly shard: string;
  readonly after: Due | undefined;
}

/**
 * What is due at `nowMs`, page by page and a page of each shard in turn, beginning with any of them: where there is more
 * than can be looked at until `endMs`, none of the shards has to wait for the others.
 */
export async function* duePages(world: World, nowMs: number, endMs: number): AsyncGenerator<readonly Due[]> {
  const first = Math.floor(world.ids.random() * dueShards.length);
  let open: readonly Open[] = [...dueShards.slice(first), ...dueShards.slice(0, first)].map((shard) => ({
    shard,
    after: undefined,
  }));
  for (let pages = 0; open.length > 0; ) {
    const more: Open[] = [];
    for (const { shard, after } of open) {
      if (world.clock.now() >= endMs || pages >= MAX_PAGES) return;
      pages += 1;
      const page = await world.store.listDue(shard, nowMs, PAGE, after);
      if (page.length > 0) yield page;
      if (page.length >= PAGE) more.push({ shard, after: page.at(-1) });
    }
    open = more;
  }
}
