import { chmodSync, copyFileSync, mkdtempSync, readdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Stack } from 'aws-cdk-lib';
import { Platform } from 'aws-cdk-lib/aws-ecr-assets';
import { ContainerImage } from 'aws-cdk-lib/aws-ecs';
import type { Construct } from 'constructs';
import { buildSync } from 'esbuild';
import { BUNDLE, INSTALLERS, ROOT } from './function.ts';

const DOCKERFILE = `FROM public.ecr.aws/docker/library/node:24-slim
ENV NODE_ENV=production
WORKDIR /srv
COPY --chown=node:node . ./
USER node
VOLUME /tmp
EXPOSE 8140
CMD ["node", "--enable-source-maps", "edge.mjs"]
`;

/**
 * The edge's container image: one bundled file on Debian's Node, the scripts that it serves, and
 * the operator's `files` by their name in the image. `cdk deploy` builds it.
 */
export function edgeImage(scope: Construct, files: Readonly<Record<string, string>>): ContainerImage {
  const folder = mkdtempSync(join(tmpdir(), 'understudy-edge-image-'));
  writeFileSync(join(folder, 'Dockerfile'), DOCKERFILE);
  for (const [name, path] of Object.entries({ ...INSTALLERS, ...files })) copyFileSync(path, join(folder, name));
  if (Stack.of(scope).bundlingRequired) {
    buildSync({
      ...BUNDLE,
      entryPoints: [join(ROOT, 'functions', 'edge.ts')],
      bundle: true,
      platform: 'node',
      format: 'esm',
      banner: { js: BUNDLE.banner },
      sourcemap: 'linked',
      outfile: join(folder, 'edge.mjs'),
      absWorkingDir: ROOT,
    });
  }
  // The image keeps the modes, whoever deploys.
  for (const name of readdirSync(folder)) chmodSync(join(folder, name), 0o644);
  return ContainerImage.fromAsset(folder, { platform: Platform.LINUX_ARM64 });
}
