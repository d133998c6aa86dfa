import { Link } from '../routing/link.tsx';
import { pathOf } from '../routing/match-route.ts';

/** Letters of a part of a name that has to break: it would not fit a phone. */
const LONGEST = 32;

/** A certname that breaks only behind its dots. */
export function Certname({ name }: { readonly name: string }) {
  const parts = name.split('.');
  return (
    <span class="certname" title={name}>
      {parts.map((part, index) => (
        <span key={index}>
          <span class={part.length > LONGEST ? undefined : 'unbroken'}>
            {index < parts.length - 1 ? `${part}.` : part}
          </span>
          <wbr />
        </span>
      ))}
    </span>
  );
}

interface NodeLinkProps {
  readonly certname: string;
  /** The part of the node's page; absent: the first one. */
  readonly tab?: string;
}

/** A link to the page of a node. */
export function NodeLink({ certname, tab }: NodeLinkProps) {
  return (
    <Link to={tab === undefined ? pathOf('nodes', certname) : pathOf('nodes', certname, tab)}>
      <Certname name={certname} />
    </Link>
  );
}
