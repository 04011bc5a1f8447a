/** Works through a list, so many at once: the next ones begin when all of these are done. */
export async function inTurns<T>(
  list: readonly T[],
  atOnce: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  for (let at = 0; at < list.length; at += atOnce) {
    await Promise.all(list.slice(at, at + atOnce).map(work));
  }
}
