/** An order of the demo shop. Money is whole cents of `currency`. */
export interface Order {
  readonly orderId: string;
  readonly placedOn: string;
  readonly status: 'processing' | 'shipped' | 'delivered' | 'cancelled';
  readonly items: string;
  readonly amountCents: number;
  readonly currency: 'EUR';
}

export interface Delivery {
  readonly orderId: string;
  readonly carrier: string;
  readonly state: 'not_shipped' | 'in_transit' | 'delayed' | 'lost' | 'delivered' | 'returned';
  readonly expectedOn: string;
}

type Row = readonly [
  orderId: string,
  placedOn: string,
  status: Order['status'],
  items: string,
  amountCents: number,
  carrier: string,
  state: Delivery['state'],
  expectedOn: string,
];

const rows: readonly Row[] = [
  [
    'ORD-1001',
    '2026-02-24',
    'shipped',
    '1 x stoneware teapot',
    4_590,
    'ParcelBee',
    'in_transit',
    '2026-03-06',
  ],
  ['ORD-1002', '2026-02-20', 'delivered', '4 x linen napkin', 2_800, 'ParcelBee', 'delivered', '2026-02-25'],
  ['ORD-1003', '2026-02-11', 'shipped', '1 x floor lamp', 12_900, 'NordPost', 'delayed', '2026-02-19'],
  [
    'ORD-1004',
    '2026-03-01',
    'processing',
    '2 x beeswax candle',
    1_990,
    'ParcelBee',
    'not_shipped',
    '2026-03-09',
  ],
  ['ORD-1005', '2026-02-14', 'delivered', '1 x cast-iron pan', 6_450, 'NordPost', 'delivered', '2026-02-18'],
  ['ORD-1006', '2026-02-02', 'shipped', '1 x wall clock', 5_400, 'NordPost', 'lost', '2026-02-08'],
  ['ORD-1007', '2026-02-26', 'shipped', '6 x water glass', 3_540, 'ParcelBee', 'in_transit', '2026-03-05'],
  ['ORD-1008', '2026-02-17', 'delivered', '1 x wool blanket', 8_900, 'ParcelBee', 'delivered', '2026-02-21'],
  ['ORD-1009', '2026-02-22', 'cancelled', '1 x bath mat', 2_490, 'ParcelBee', 'not_shipped', '2026-02-28'],
  ['ORD-1010', '2026-02-15', 'shipped', '2 x cushion cover', 3_180, 'NordPost', 'delayed', '2026-02-23'],
  ['ORD-1011', '2026-02-27', 'shipped', '1 x desk organiser', 2_750, 'ParcelBee', 'in_transit', '2026-03-07'],
  [
    'ORD-1012',
    '2026-02-12',
    'delivered',
    '1 x espresso maker',
    7_990,
    'ParcelBee',
    'delivered',
    '2026-02-16',
  ],
  ['ORD-1013', '2026-01-30', 'delivered', '1 x picture frame', 1_850, 'NordPost', 'returned', '2026-02-04'],
  [
    'ORD-1014',
    '2026-02-28',
    'processing',
    '3 x herb planter',
    4_470,
    'ParcelBee',
    'not_shipped',
    '2026-03-10',
  ],
  ['ORD-1015', '2026-02-18', 'shipped', '1 x bread bin', 3_990, 'NordPost', 'in_transit', '2026-03-04'],
  ['ORD-1016', '2026-02-09', 'delivered', '2 x bed sheet', 7_600, 'ParcelBee', 'delivered', '2026-02-13'],
  ['ORD-1017', '2026-02-21', 'shipped', '1 x folding stool', 4_250, 'ParcelBee', 'delayed', '2026-02-27'],
  ['ORD-1018', '2026-02-25', 'delivered', '1 x knife set', 11_900, 'NordPost', 'delivered', '2026-03-02'],
  ['ORD-1019', '2026-02-23', 'shipped', '1 x tea towel set', 1_690, 'ParcelBee', 'in_transit', '2026-03-05'],
  ['ORD-1020', '2026-02-16', 'delivered', '1 x ceramic vase', 3_450, 'NordPost', 'delivered', '2026-02-20'],
  ['ORD-1021', '2026-02-19', 'shipped', '1 x coat rack', 9_800, 'NordPost', 'lost', '2026-02-26'],
  [
    'ORD-1022',
    '2026-03-02',
    'processing',
    '1 x reading lamp',
    5_950,
    'ParcelBee',
    'not_shipped',
    '2026-03-11',
  ],
  ['ORD-1023', '2026-02-13', 'delivered', '2 x storage jar', 2_380, 'ParcelBee', 'delivered', '2026-02-17'],
  ['ORD-1024', '2026-02-10', 'delivered', '1 x kettle', 6_900, 'ParcelBee', 'delivered', '2026-02-14'],
  ['ORD-1025', '2026-02-24', 'shipped', '1 x doormat', 2_950, 'ParcelBee', 'in_transit', '2026-03-06'],
  ['ORD-1042', '2026-02-15', 'shipped', '2 x bento box', 4_800, 'NordPost', 'delayed', '2026-02-22'],
];

/** Throws `order not found: …`: to the model an unknown order is something to read, not an end. */
export function findOrder(orderId: string): Order {
  const [id, placedOn, status, items, amountCents] = rowOf(orderId);
  return { orderId: id, placedOn, status, items, amountCents, currency: 'EUR' };
}

/** Throws `order not found: …`. */
export function findDelivery(orderId: string): Delivery {
  const [id, , , , , carrier, state, expectedOn] = rowOf(orderId);
  return { orderId: id, carrier, state, expectedOn };
}

function rowOf(orderId: string): Row {
  const row = rows.find(([id]) => id === orderId.trim().toUpperCase());
  if (row === undefined) throw new Error(`order not found: ${orderId}`);
  return row;
}

export interface HelpArticle {
  readonly title: string;
  readonly text: string;
}

/** The help pages of the demo shop. */
export const helpArticles: readonly HelpArticle[] = [
  {
    title: 'Delivery times and tracking',
    text: 'Parcels leave within two working days and take three to seven days. The tracking link is in the dispatch e-mail. A parcel that is five days late is searched for by the carrier.',
  },
  {
    title: 'Returns and exchanges',
    text: 'Unused goods can be returned or exchanged within 30 days of delivery. Print the label under My orders, Return. The money is back within ten days of arrival.',
  },
  {
    title: 'Damaged or wrong item',
    text: 'Send a photo of the damaged or wrong item and of the parcel within 14 days. A replacement is sent free of charge; the damaged item need not come back.',
  },
  {
    title: 'Invoices and double charges',
    text: 'Invoices are under My orders, Invoice. A second charge that is only reserved by the bank disappears within five working days; a booked one is paid back by the payments team.',
  },
  {
    title: 'Password and sign-in',
    text: 'Reset a password under Sign in, Forgot password. The link is valid for 30 minutes. After five wrong tries an account is locked for an hour.',
  },
  {
    title: 'Change or delete an account',
    text: 'The e-mail address and the postal address are changed under My account. Accounts are deleted on request within 30 days; open orders are finished first.',
  },
  {
    title: 'Gift cards and vouchers',
    text: 'Enter the code of a gift card or voucher at the last step of the check-out. One voucher per order; gift cards can be used in parts and are valid for three years.',
  },
  {
    title: 'Care and warranty',
    text: 'Stoneware and glass are dishwasher safe, cast iron and wood are not. The warranty is two years and covers faults of material and making.',
  },
  {
    title: 'Change or cancel an order',
    text: 'An order can be changed or cancelled under My orders until it is handed to the carrier. After that, refuse the parcel or return it.',
  },
];
