import { Link } from '../routing/link.tsx';
import { pathOf } from '../routing/match-route.ts';
import { CopyButton } from './copy-button.tsx';
import { ShortId } from './short-id.tsx';

interface CodeLinkProps {
  /** Null: no code is known. */
  readonly codeId: string | null;
  /** The environment that it was deployed to; null while it is not known. */
  readonly environment: string | null;
  /** Whether a button to copy it stands beside it; true by default. */
  readonly canCopy?: boolean;
}

/** The beginning of a code id, which leads to its deploy. */
export function CodeLink({ codeId, environment, canCopy = true }: CodeLinkProps) {
  if (codeId === null || environment === null) return <ShortId id={codeId} what="the code id" />;
  return (
    <span class="short-id">
      <Link to={pathOf('why', environment, codeId)} title={`Deploy of ${environment}: ${codeId}`}>
        <ShortId id={codeId} />
      </Link>
      {canCopy && <CopyButton text={codeId} what="the code id" />}
    </span>
  );
}
