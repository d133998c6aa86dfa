import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { compile } from '../../shared/compiler/compile.ts';
import { ParseCache } from '../../shared/compiler/manifest-parser.ts';
import { openDirectoryEnvironment } from '../../shared/environment/directory-environment.ts';
import { Inputs } from '../../shared/environment/inputs.ts';
import { parseJson } from '../../shared/serialization/json.ts';
import { PuppetHash } from '../../shared/types/puppet-hash.ts';
import { writeEnvironment } from './generated-environment.ts';
import { cpuOfProcess, median, medianCpu } from './measure.ts';

const CLI = join(import.meta.dirname, '..', '..', 'functions', 'cli.ts');

export interface CompileFigures {
  readonly resources: number;
  /** CPU milliseconds from facts to catalog JSON in a process that compiled before, inputs recorded. */
  readonly warmMs: number;
  /** CPU milliseconds of `understudy compile`, from the start of the process to its end. */
  readonly coldMs: number;
}

export function benchCompile(repo: string): CompileFigures {
  const once = compiler(repo);
  const resources = once();
  return { resources, warmMs: medianCpu(once, 15, 8), coldMs: coldCompile(repo) };
}

function coldCompile(repo: string): number {
  const facts = join(repo, 'facts.json');
  const args = [CLI, 'compile', 'bench.example.com', '--control-repo', repo, '--environment', 'production'];
  return median(Array.from({ length: 5 }, () => cpuOfProcess(process.execPath, [...args, '--facts', facts])));
}

/** A function that compiles the repo's one node and answers the number of resources. */
export function compiler(repo: string): () => number {
  const document = parseJson(readFileSync(join(repo, 'facts.json'), 'utf8'));
  const facts = document instanceof PuppetHash ? document.get('values') : undefined;
  if (!(facts instanceof PuppetHash)) throw new Error('the generated facts have no values');
  const parseCache = new ParseCache();
  return () => {
    const inputs = new Inputs();
    const result = compile({
      node: {
        certname: 'bench.example.com',
        environment: 'production',
        facts: inputs.recordFacts(facts),
        trusted: inputs.recordTrusted(new PuppetHash()),
        serverFacts: null,
        parameters: new PuppetHash(),
        classes: [],
      },
      environment: openDirectoryEnvironment(repo, 'production', inputs),
      settings: { strict: 'error', strictVariables: true, tasks: false, storeconfigs: false },
      inputs,
      exportsOf: () => [],
      parseCache,
    });
    if (result.status !== 'ok')
      throw new Error(`the generated environment does not compile: ${JSON.stringify(result)}`);
    return JSON.parse(result.catalog).resources.length;
  };
}

export interface Growth {
  readonly what: string;
  /** CPU time of the large over the small one; 2 is linear. */
  readonly factor: number;
}

/** How CPU time grows when the classes, or the resources of a class, are doubled. */
export function growth(directory: string): readonly Growth[] {
  const cost = (name: string, classes: number, resourcesPerClass: number) => {
    const repo = join(directory, name);
    writeEnvironment(repo, { classes, resourcesPerClass });
    return medianCpu(compiler(repo), 9, 5);
  };
  const small = cost('small', 60, 20);
  return [
    { what: 'classes', factor: cost('classes', 120, 20) / small },
    { what: 'resources of a class', factor: cost('resources', 60, 40) / small },
  ];
}
