package market

import "context"

// inspect waits until few enough texts and packages are being read, and gives what ends the task: the rest of the machine
// is for those who look at the catalog meanwhile.
func (a *Market) inspect(ctx context.Context, member string) (done func(), err error) {
	if err := a.inspections.Acquire(ctx, member); err != nil {
		return nil, err
	}
	return a.inspections.Release, nil
}
