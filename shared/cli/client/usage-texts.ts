import { isJsonRecord, type JsonRecord } from './orchestrator-client.ts';

/** The command that runs a task or plan. */
interface UsageCommand {
  /** Such as `task run`. */
  readonly command: string;
  /** The text after the parameters. */
  readonly target: string;
}

/** Prints how to run a task or plan, and its parameters. */
export function describeUsage(name: string, metadata: JsonRecord, { command, target }: UsageCommand): string {
  const parameters = Object.entries(isJsonRecord(metadata.parameters) ? metadata.parameters : {}).map(
    ([key, described]) => ({ key, ...readDescription(described) }),
  );
  const usage = parameters.map(({ key, isOptional }) => (isOptional ? `[${key}=<value>]` : `${key}=<value>`));
  const hasText = metadata.description !== undefined && metadata.description !== '';
  const head = `${name}${hasText ? ` - ${metadata.description}` : ''}\n\n`;
  const words = [name, ...usage, ...(target === '' ? [] : [target])];
  const call = `USAGE:\n$ understudy ${command} ${words.join(' ')}\n`;
  const lines = parameters.map(({ key, type, text, usual }) => {
    const more = `${usual}${text === '' ? '' : `    ${text.replaceAll('\n', '\n    ')}\n`}`;
    return `- ${key} : ${type}\n${more}`;
  });
  return `${head}${call}${lines.length === 0 ? '' : `\nPARAMETERS:\n${lines.join('')}`}`;
}

function readDescription(described: unknown) {
  const record = isJsonRecord(described) ? described : {};
  const { type = 'Any', description = '', default: ofTask, default_value: ofPlan } = record;
  const isOptional = /^(Optional\b|Any$)/.test(String(type)) || ofTask !== undefined || ofPlan !== undefined;
  const usual =
    ofPlan === undefined ? '' : `    Default: ${typeof ofPlan === 'string' ? ofPlan : JSON.stringify(ofPlan)}\n`;
  return { type: String(type), text: String(description), isOptional, usual };
}
