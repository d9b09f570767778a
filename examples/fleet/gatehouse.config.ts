/**
 * Settings of the example. Every reader of this file knows the password, so do not set one in your own configuration
 * file.
 */
export default {
  adminEmail: 'admin@fleet.example',
  adminPassword: 'fleet-example-admin',
};
