/** `npm run sbom > FILE`: prints the software bill of materials, CycloneDX in JSON. */
import { makeBillOfMaterials } from './bill-of-materials.ts';

process.stdout.write(`${JSON.stringify(makeBillOfMaterials(), null, 2)}\n`);
