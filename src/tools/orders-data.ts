/** A row of the orders table as its source has it. Most of it is nobody's business but the shop's. */
export interface OrderRow {
  readonly orderId: number;
  readonly customerId: number;
  readonly orderDate: string;
  readonly status: 'completed' | 'shipped' | 'processing' | 'cancelled';
  /** NaN where the table has an empty cell, as data frames read it. */
  readonly discountPct: number;
  readonly items: readonly string[];
  readonly customerEmail: string;
  readonly paymentRef: string;
}

type Cells = readonly [
  orderId: number,
  customerId: number,
  orderDate: string,
  status: OrderRow['status'],
  discountPct: number,
  ...items: string[],
];

/** An office that orders everything at once: a result that is too long to send whole. */
const longList = Array.from(
  { length: 150 },
  (_, at) => `desk ${String(at + 1).padStart(3, '0')}, oak, 140 cm`,
);

const cells: readonly Cells[] = [
  [1, 8, '2024-01-03', 'completed', Number.NaN, 'teapot'],
  [2, 675, '2024-01-03', 'completed', 10, 'floor lamp'],
  [3, 41, '2024-01-04', 'completed', Number.NaN, 'wool blanket'],
  [4, 675, '2024-01-05', 'completed', Number.NaN, 'bath mat'],
  [5, 102, '2024-01-07', 'cancelled', 5, 'wall clock'],
  [6, 8, '2024-01-08', 'completed', Number.NaN, 'linen napkin', 'linen napkin'],
  [7, 675, '2024-01-09', 'completed', 10, 'knife set'],
  [8, 233, '2024-01-11', 'completed', Number.NaN, 'bread bin'],
  [9, 675, '2024-01-12', 'cancelled', Number.NaN, 'coat rack'],
  [10, 57, '2024-01-15', 'completed', 15, 'desk organiser'],
  [11, 675, '2024-01-16', 'completed', 10, 'kettle'],
  [12, 41, '2024-01-18', 'completed', Number.NaN, 'water glass'],
  [13, 675, '2024-01-19', 'completed', Number.NaN, 'doormat'],
  [14, 310, '2024-01-22', 'completed', Number.NaN, 'picture frame'],
  [15, 675, '2024-01-23', 'completed', 10, 'ceramic vase'],
  [16, 57, '2024-01-25', 'completed', Number.NaN, 'storage jar'],
  [17, 675, '2024-01-29', 'completed', Number.NaN, 'tea towel set'],
  [18, 8, '2024-01-30', 'completed', 5, 'espresso maker'],
  [19, 675, '2024-02-01', 'completed', 10, 'bed sheet'],
  [20, 233, '2024-02-02', 'completed', Number.NaN, 'cushion cover'],
  [21, 675, '2024-02-05', 'completed', Number.NaN, 'folding stool'],
  [22, 418, '2024-02-06', 'completed', 20, ...longList],
  [23, 675, '2024-02-08', 'shipped', 10, 'herb planter'],
  [24, 102, '2024-02-09', 'shipped', Number.NaN, 'reading lamp'],
  [25, 675, '2024-02-12', 'shipped', Number.NaN, 'cast-iron pan'],
  [26, 310, '2024-02-13', 'processing', Number.NaN, 'beeswax candle'],
  [27, 675, '2024-02-14', 'processing', 10, 'bento box'],
  [28, 675, '2024-02-14', 'processing', Number.NaN, 'water glass'],
  [29, 41, '2024-02-14', 'processing', Number.NaN, 'stoneware mug'],
];

const table: readonly OrderRow[] = cells.map(
  ([orderId, customerId, orderDate, status, discountPct, ...items]) => ({
    ...{ orderId, customerId, orderDate, status, discountPct, items },
    customerEmail: `customer-${customerId}@example.com`,
    paymentRef: `pay_${orderId * 7919}`,
  }),
);

export function findRow(orderId: number): OrderRow | undefined {
  return table.find((row) => row.orderId === orderId);
}

export function countRows(customerId: number): number {
  return table.filter((row) => row.customerId === customerId).length;
}
