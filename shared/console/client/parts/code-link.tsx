import { Link } from '../routing/link.tsx';
import { pathOf } from '../routing/match-route.ts';
import { ShortId } from './short-id.tsx';

interface CodeLinkProps {
  /** Null: no code is known. */
  readonly codeId: string | null;
  /** The environment that it was deployed to; null while it is not known. */
  readonly environment: string | null;
}

/** The beginning of a code id, which leads to its deploy. */
export function CodeLink({ codeId, environment }: CodeLinkProps) {
  if (codeId === null || environment === null) return <ShortId id={codeId} />;
  return (
    <Link to={pathOf('why', environment, codeId)} title={`Deploy of ${environment}: ${codeId}`}>
      <ShortId id={codeId} />
    </Link>
  );
}
