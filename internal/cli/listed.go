package cli

// mostPages bounds a list that a server would never end.
const mostPages = 100

// Listed reads a list of the server's page by page; next answers a page and the cursor of the one behind it, "" for none.
func Listed[T any](next func(cursor string) (page []T, more string, err error)) ([]T, error) {
	all, cursor := []T{}, ""
	for range mostPages {
		page, more, err := next(cursor)
		if err != nil {
			return nil, err
		}
		if all, cursor = append(all, page...), more; more == "" || len(page) == 0 {
			break
		}
	}
	return all, nil
}
