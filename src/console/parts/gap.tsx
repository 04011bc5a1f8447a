/** The room that rows would take which are not in the document. */
export function GapRow({ px }: { readonly px: number }) {
  if (px <= 0) return null;
  return (
    <tr class="gap">
      <td style={{ height: `${px}px` }} />
    </tr>
  );
}
