import type { ComponentChildren } from 'preact';
import { codePath, findCodePlace } from '../data/code-places.ts';
import { usePermission } from '../data/session.ts';
import { Link } from '../routing/link.tsx';

interface PlaceLinkProps {
  readonly file: string;
  readonly line: number | null;
  /** The environment of what names the file; null while it is not known. */
  readonly environment: string | null;
  /** Null: the code in force. */
  readonly codeId: string | null;
  readonly children: ComponentChildren;
}

/** A place in code, which leads to its lines for those who may see them. */
export function PlaceLink({ file, line, environment, codeId, children }: PlaceLinkProps) {
  const place = findCodePlace(file, environment);
  const mayView = usePermission('environment', 'view_code', place?.environment ?? null);
  if (place === null || !mayView) return <>{children}</>;
  return <Link to={codePath({ ...place, codeId, line })}>{children}</Link>;
}
