import { ReportList } from '../report-list.tsx';

/** The reports of one node. */
export function NodeReportsTab({ certname }: { readonly certname: string }) {
  return <ReportList certname={certname} />;
}
