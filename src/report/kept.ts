/** Keeps the first so many of a stream in an order, in memory for twice as many; equals stay in the order they came. */
export function createKept<Item>(
  most: number,
  order: (a: Item, b: Item) => number,
): { readonly add: (item: Item) => void; readonly items: () => readonly Item[] } {
  let kept: Item[] = [];
  const items = (): Item[] => kept.sort(order).slice(0, most);
  return {
    add: (item) => {
      kept.push(item);
      if (kept.length >= most * 2) kept = items();
    },
    items,
  };
}
