//! Lists in pages: the token is the key of the last item before the page.

/// One page of a list and how the next is asked for.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Page<T> {
    pub items: Vec<T>,
    /// Empty on the last page.
    pub next: String,
    /// On all pages.
    pub total: u32,
}

const SIZE_DEFAULT: usize = 100;
const SIZE_MAX: usize = 1_000;

/// The page after `token` of items that are sorted here by their key. Items that come and go between
/// two calls shift nothing: a page begins after a key, not at a count.
pub(crate) fn page<T>(
    mut items: Vec<T>,
    key: impl Fn(&T) -> String,
    size: u32,
    token: &str,
) -> Page<T> {
    let total = u32::try_from(items.len()).unwrap_or(u32::MAX);
    let size = match usize::try_from(size) {
        Ok(0) => SIZE_DEFAULT,
        Ok(size) => size.min(SIZE_MAX),
        Err(_) => SIZE_MAX,
    };
    items.sort_by_cached_key(&key);
    let begin = match token {
        "" => 0,
        token => items.partition_point(|item| key(item).as_str() <= token),
    };
    let mut items = items.split_off(begin);
    let more = items.len() > size;
    items.truncate(size);
    let next = items.last().filter(|_| more).map(key).unwrap_or_default();
    Page { items, next, total }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_cover_a_list_once_and_end() {
        let all: Vec<u32> = (100..350).rev().collect();
        let (mut seen, mut token) = (Vec::new(), String::new());
        loop {
            let page = page(all.clone(), u32::to_string, 60, &token);
            assert_eq!(page.total, 250);
            seen.extend(page.items);
            if page.next.is_empty() {
                break;
            }
            token = page.next;
        }
        assert_eq!(seen, (100..350).collect::<Vec<u32>>());
    }

    #[test]
    fn an_item_that_goes_between_two_pages_shifts_nothing() {
        let first = page((10..20).collect(), u32::to_string, 5, "");
        assert_eq!((first.items, first.next.as_str()), (vec![10, 11, 12, 13, 14], "14"));
        let without: Vec<u32> = (10..20).filter(|n| *n != 11 && *n != 14).collect();
        assert_eq!(page(without, u32::to_string, 5, "14").items, vec![15, 16, 17, 18, 19]);
    }

    #[test]
    fn a_size_of_none_or_of_too_many_is_held() {
        assert_eq!(page((0..5_000).collect(), u32::to_string, 0, "").items.len(), SIZE_DEFAULT);
        assert_eq!(page((0..5_000).collect(), u32::to_string, u32::MAX, "").items.len(), SIZE_MAX);
    }
}
