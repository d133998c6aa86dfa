import { execFileSync } from 'node:child_process';
import { copyFileSync, cpSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Stack } from 'aws-cdk-lib';
import { Platform } from 'aws-cdk-lib/aws-ecr-assets';
import { ContainerImage } from 'aws-cdk-lib/aws-ecs';
import type { Construct } from 'constructs';
import { CONSOLE_BUNDLE } from '../shared/config/front-doors.ts';
import { bundleContainers, makeReadable } from './bundles.ts';
import { INSTALLERS, writeRuby } from './function.ts';
import { ROOT } from './root-folder.ts';
import { createTemporaryFolder } from './temporary-folder.ts';

const BASE_IMAGE = 'public.ecr.aws/docker/library/node:24-slim';

const dockerfile = (base: string) => `FROM ${base}
ENV NODE_ENV=production
WORKDIR /srv
COPY --chown=node:node . ./
USER node
VOLUME /tmp
EXPOSE 8140 8141 8142 8143 8443 4433
CMD ["node", "--enable-source-maps", "edge.mjs"]
`;

/**
 * The container image of the edge, the authority service and the broker: a bundled file for each on
 * Debian's Node, the scripts and the console's files that they serve, and the operator's `files` by
 * their name in the image. `base` may name another image of Node 24. `cdk deploy` builds it.
 */
export function containerImage(
  scope: Construct,
  files: Readonly<Record<string, string>>,
  base: string = BASE_IMAGE,
): ContainerImage {
  // The CDK copies it when a container gets the image.
  const folder = createTemporaryFolder('understudy-edge-image-');
  writeFileSync(join(folder, 'Dockerfile'), dockerfile(base));
  for (const [name, path] of Object.entries({ ...INSTALLERS, ...files })) copyFileSync(path, join(folder, name));
  if (Stack.of(scope).bundlingRequired) {
    cpSync(bundleContainers(scope), folder, { recursive: true });
    // Plans run the Ruby code of modules.
    writeRuby(folder);
    execFileSync(process.execPath, [join(ROOT, 'functions', 'pack-console.ts'), join(folder, CONSOLE_BUNDLE)]);
  }
  // The image keeps the modes, whoever deploys.
  makeReadable(folder);
  return ContainerImage.fromAsset(folder, { platform: Platform.LINUX_ARM64 });
}
