import { Link } from '../routing/link.tsx';

interface TabsProps {
  readonly label: string;
  /** Each with its words and the path that it leads to. */
  readonly tabs: readonly { readonly id: string; readonly title: string; readonly to: string }[];
  readonly chosen: string;
}

/** Parts of a page, each with an address of its own. */
export function Tabs({ label, tabs, chosen }: TabsProps) {
  return (
    <nav class="tabs" aria-label={label}>
      {tabs.map(({ id, title, to }) => (
        <Link key={id} to={to} class="tab" aria-current={id === chosen ? 'page' : undefined}>
          {title}
        </Link>
      ))}
    </nav>
  );
}
