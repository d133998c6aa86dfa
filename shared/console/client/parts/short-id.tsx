/** The beginning of a digest; all of it on hover. */
export function ShortId({ id }: { readonly id: string | null }) {
  if (id === null) return <span class="muted">none</span>;
  return (
    <code title={id} class="short-id">
      {id.slice(0, 12)}
    </code>
  );
}
