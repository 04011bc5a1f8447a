/** The room that rows would take which are not in the document. */
export function GapRow({ px, columns }: { readonly px: number; readonly columns: number }) {
  if (px <= 0) return null;
  return (
    <tr class="gap">
      <td colSpan={columns} style={{ height: `${px}px` }} />
    </tr>
  );
}
