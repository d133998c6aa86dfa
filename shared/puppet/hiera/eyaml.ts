import { constants, createDecipheriv, createPrivateKey, privateDecrypt } from 'node:crypto';
import { variableAsSetting } from '../environment/operator-variables.ts';
import type { CompileContext } from '../evaluator/ports.ts';
import type { PuppetHash } from '../types/values/puppet-hash.ts';
import { type DerNode, parseDer } from './der.ts';

/**
 * Decrypts each `ENC[PKCS7,...]` in a text. The options name the private key: an environment
 * variable, the key itself, or a file. Throws Error. Follows the PKCS7 encryptor of hiera-eyaml.
 */
export function decryptEyaml(text: string, options: PuppetHash, context: KeySource): string {
  const decrypted = text.replace(/ENC\[(?:(\w+),)?([^\]]*)\]/g, (_, scheme: string | undefined, body: string) => {
    if (scheme !== undefined && scheme !== 'PKCS7') throw new Error(`Unable to find encryption method ${scheme}`);
    return decryptEnvelope(Buffer.from(body, 'base64'), readKey(options, context)).toString('utf8');
  });
  return decrypted.replace(/\r?\n$/, '');
}

type KeySource = Pick<CompileContext, 'environment' | 'variables' | 'inputs'>;

/**
 * The option that names the environment variable with the private key. Decryption needs no public
 * key.
 */
const VARIABLE_OPTION = 'pkcs7_private_key_env_var';

function readKey(options: PuppetHash, context: KeySource): string {
  const { environment } = context;
  const variable = options.get(VARIABLE_OPTION) ?? false;
  if (variable !== false) return readVariable(String(variable), context);
  const inline = options.get('pkcs7_private_key_string');
  if (typeof inline === 'string') return inline;
  const path = options.get('pkcs7_private_key');
  if (typeof path !== 'string') throw new Error('pkcs7_private_key is not defined');
  const key = environment.readText(path);
  if (key === null) {
    // A deployment contains the code directory only.
    const advice = environment.codeId === null ? '' : ': keys have to be in a file of the code that is deployed';
    throw new Error(`No such file or directory @ rb_sysopen - ${path}${advice}`);
  }
  return key;
}

function readVariable(name: string, { variables, inputs }: KeySource): string {
  const variable = variables(name);
  inputs.recordSetting(...variableAsSetting(name, variable));
  if (variable.state === 'set') return variable.value;
  if (variable.state === 'unset') throw new Error(`env ${name} is not set (${VARIABLE_OPTION} in hiera.yaml)`);
  const reason = variable.listedIn === undefined ? '' : `: ${variable.listedIn} of the compiler does not list it`;
  throw new Error(`env ${name} may not be read (${VARIABLE_OPTION} in hiera.yaml)${reason}`);
}

const CIPHERS: Readonly<Record<string, string>> = {
  '2.16.840.1.101.3.4.1.42': 'aes-256-cbc',
  '2.16.840.1.101.3.4.1.22': 'aes-192-cbc',
  '2.16.840.1.101.3.4.1.2': 'aes-128-cbc',
  '1.2.840.113549.3.7': 'des-ede3-cbc',
};

/** Decrypts a CMS EnvelopedData (RFC 5652) with one key-transport recipient. */
function decryptEnvelope(der: Buffer, privateKey: string): Buffer {
  const enveloped = parseDer(der).getChild(1).getChild(0);
  const recipient = enveloped.children.find((node) => node.isSet)?.getChild(0);
  const content = enveloped.children.at(-1);
  if (!recipient || !content) throw new Error('Could not parse the PKCS7: not enveloped data');
  const algorithm = content.getChild(1);
  const cipher = CIPHERS[algorithm.getChild(0).readOid()];
  if (cipher === undefined) throw new Error(`unsupported cipher ${algorithm.getChild(0).readOid()}`);
  const key = privateDecrypt(
    { key: createPrivateKey(privateKey), padding: constants.RSA_PKCS1_PADDING },
    recipient.getChild(3).content,
  );
  const decipher = createDecipheriv(cipher, key, algorithm.getChild(1).content);
  return Buffer.concat([decipher.update(readOctets(content.getChild(2))), decipher.final()]);
}

/** Returns the bytes of a primitive or constructed octet string. */
function readOctets(node: DerNode): Buffer {
  return node.isConstructed ? Buffer.concat(node.children.map(readOctets)) : node.content;
}
