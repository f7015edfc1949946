import { generateKeyPairSync, sign } from 'node:crypto';

/** Encodes a value in DER. */
function der(tag: number, ...content: Buffer[]): Buffer {
	const body = Buffer.concat(content);
	const length =
		body.length < 0x80
			? Buffer.from([body.length])
			: Buffer.from([0x82, body.length >> 8, body.length & 0xff]);
	return Buffer.concat([Buffer.from([tag]), length, body]);
}

const sequence = (...content: Buffer[]) => der(0x30, ...content);
const objectId = (hex: string) => der(0x06, Buffer.from(hex, 'hex'));
const ECDSA_WITH_SHA256 = sequence(objectId('2a8648ce3d040302'));
const COMMON_NAME = objectId('550403');

const time = (epochMs: number) =>
	der(
		0x17,
		Buffer.from(
			`${new Date(epochMs)
				.toISOString()
				.replace(/[-:T]|\..*/g, '')
				.slice(2)}Z`,
		),
	);

export interface KeyAndCertificate {
	key: string;
	cert: string;
}

const nameOf = (name: string) =>
	sequence(der(0x31, sequence(COMMON_NAME, der(0x0c, Buffer.from(name, 'utf8')))));

/** Creates a self-signed certificate and its key, so that the repository does not need to contain a key. */
export function selfSigned(name = 'localhost'): KeyAndCertificate {
	const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
	const DAY_MS = 86_400_000;
	const content = sequence(
		der(0x02, Buffer.from([1])),
		ECDSA_WITH_SHA256,
		nameOf(name),
		sequence(time(Date.now() - DAY_MS), time(Date.now() + DAY_MS)),
		nameOf(name),
		publicKey.export({ type: 'spki', format: 'der' }),
	);
	const signature = der(0x03, Buffer.from([0]), sign('sha256', content, privateKey));
	const body = sequence(content, ECDSA_WITH_SHA256, signature).toString('base64');
	return {
		key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
		cert: `-----BEGIN CERTIFICATE-----\n${body.match(/.{1,64}/g)?.join('\n')}\n-----END CERTIFICATE-----\n`,
	};
}
