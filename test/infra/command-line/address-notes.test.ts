import { expect, test } from '@jest/globals';
import { addressNotes } from '../../../infra/command-line/address-notes.ts';

test.each([
  ['https://api.example.com/2.0/customers', 'https://api.example.com'],
  ['https://api.example.com/2.0/customers/', 'https://api.example.com'],
  ['https://api.example.com:8443/v/2.0/clients', 'https://api.example.com:8443/v'],
  ['https://api.example.com/customers', 'https://api.example.com'],
  ['https://api.example.com/v/customers//', 'https://api.example.com/v'],
])('says of %s where requests go, and what to give instead', (baseUrl, meant) => {
  const address = baseUrl.replace(/\/+$/, '');

  const [note] = addressNotes(baseUrl, 'customers');
  expect(note).toMatch(
    new RegExp(`^--base-url: requests go to ${address}/2.0/customers, .* --base-url ${meant}\\.$`),
  );
});

test.each([
  'https://api.example.com',
  'https://api.example.com/',
  'https://api.example.com/v2.0',
  'https://api.example.com/customers/eu',
  'https://customers.example.com/my-customers',
])('says nothing of %s', (baseUrl) => {
  expect(addressNotes(baseUrl, 'customers')).toEqual([]);
});
