import tls from 'node:tls';

const trusted: string[] = [];

/**
 * Lets fetch in this suite accept certificates of this authority, and of those given before alone: no test asks a
 * server elsewhere, and the hundred and more that Node.js brings take longer to set than a request.
 */
export function trust(caPem: string): void {
  if (trusted.includes(caPem)) return;
  trusted.push(caPem);
  tls.setDefaultCACertificates(trusted);
}
