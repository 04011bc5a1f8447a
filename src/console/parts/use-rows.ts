import {
  elementScroll,
  observeElementOffset,
  observeElementRect,
  observeWindowOffset,
  observeWindowRect,
  type VirtualItem,
  Virtualizer,
  windowScroll,
} from '@tanstack/virtual-core';
import type { RefObject } from 'preact';
import { useLayoutEffect, useReducer, useRef, useState } from 'preact/hooks';

export interface Rows<List extends HTMLElement> {
  /** For the element that holds the rows. */
  readonly list: RefObject<List | null>;
  readonly items: readonly VirtualItem[];
  /** The room of the rows that are not in the document, before and after those that are. */
  readonly beforePx: number;
  readonly afterPx: number;
  /** For rows whose height is not known before: their `data-index` says which. */
  readonly measure: (row: Element | null) => void;
  readonly scrollTo: (index: number) => void;
}

interface Long {
  readonly count: number;
  readonly rowPx: number;
  readonly overscan?: number;
}

/** The rows of a long list that are on screen and a few around them, where the window scrolls. */
export function useWindowRows<List extends HTMLElement>({ count, rowPx, overscan = 12 }: Long): Rows<List> {
  const list = useRef<List>(null);
  const [marginPx, setMarginPx] = useState(0);
  const [, redraw] = useReducer((drawn: number) => drawn + 1, 0);
  const options = {
    ...{ count, overscan, scrollMargin: marginPx, estimateSize: () => rowPx },
    ...{ observeElementRect: observeWindowRect, observeElementOffset: observeWindowOffset },
    getScrollElement: () => window,
    scrollToFn: windowScroll,
    initialOffset: () => window.scrollY,
    onChange: () => redraw(undefined),
  };
  const [virtual] = useState(() => new Virtualizer<Window, Element>(options));
  virtual.setOptions(options);
  useLayoutEffect(() => virtual._didMount(), []);
  useLayoutEffect(() => virtual._willUpdate());
  useLayoutEffect(() => {
    const top = list.current === null ? 0 : list.current.getBoundingClientRect().top + window.scrollY;
    if (Math.abs(top - marginPx) > 1) setMarginPx(top);
  });
  return { list, ...placesOf(virtual, marginPx) };
}

/** The same where an element of its own scrolls. */
export function useElementRows<List extends HTMLElement>({ count, rowPx, overscan = 8 }: Long): Rows<List> {
  const list = useRef<List>(null);
  const [, redraw] = useReducer((drawn: number) => drawn + 1, 0);
  const options = {
    ...{ count, overscan, estimateSize: () => rowPx },
    ...{ observeElementRect, observeElementOffset, scrollToFn: elementScroll },
    getScrollElement: () => list.current,
    initialRect: { width: 0, height: 480 },
    onChange: () => redraw(undefined),
  };
  const [virtual] = useState(() => new Virtualizer<List, Element>(options));
  virtual.setOptions(options);
  useLayoutEffect(() => virtual._didMount(), []);
  useLayoutEffect(() => virtual._willUpdate());
  return { list, ...placesOf(virtual, 0) };
}

function placesOf<Scrolled extends Window | HTMLElement>(
  virtual: Virtualizer<Scrolled, Element>,
  marginPx: number,
): Omit<Rows<HTMLElement>, 'list'> {
  const items = virtual.getVirtualItems();
  return {
    items,
    beforePx: (items[0]?.start ?? marginPx) - marginPx,
    afterPx: virtual.getTotalSize() - ((items.at(-1)?.end ?? marginPx) - marginPx),
    measure: virtual.measureElement,
    scrollTo: (index) => virtual.scrollToIndex(index, { align: 'auto' }),
  };
}
