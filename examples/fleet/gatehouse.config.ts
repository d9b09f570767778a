/** Settings of the example. The password is known to every reader of this file: for a service of your own, leave it out. */
export default {
  adminEmail: 'admin@fleet.example',
  adminPassword: 'fleet-example-admin',
};
