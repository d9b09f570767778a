import { defineSeed } from 'gatehouse-server/seeds';

export default defineSeed({
  async run({ resource, make }) {
    const { id } = await resource('owners').create({ name: 'Grace' });
    await make('pet-visits', { owner_id: id, reason: 'vaccination' });
  },
});
